// Writes the page's address and copies it on request.

let known = null; // the visit that this tab has talked to

// A new visit in an old tab (the server began anew): it knows nothing of this page but its address, so open that.
function isForgotten({ visit }) {
  const isAnew = known !== null && known !== visit;
  known = visit;
  return isAnew;
}

export default function ({ data, parentElement }) {
  if (isForgotten(data)) return location.reload();
  publish(data);
  offerCopy(parentElement, () => shareable().href);
}
