// Writes the page's address and copies it on request.

let known = null; // the visit that this tab has talked to

// A new visit in an old tab (the server began anew): it knows nothing of this page but its address, so open that.
function isForgotten({ visit }) {
  const isAnew = known !== null && known !== visit;
  known = visit;
  return isAnew;
}

// Streamlit gives a link to the overview no path: opened in another tab it would lead to this page again.
function leadHome({ address, pages }) {
  if (!isHere({ address, pages })) return;
  const here = location.pathname.replace(/\/$/, "");
  const root = address ? here.slice(0, -address.length) : `${here}/`;
  for (const link of document.querySelectorAll('a[href^="?"]')) link.href = root + link.getAttribute("href");
}

export default function ({ data, parentElement }) {
  if (isForgotten(data)) return location.reload();
  publish(data);
  leadHome(data);
  offerCopy(parentElement, () => shareable().href);
}
