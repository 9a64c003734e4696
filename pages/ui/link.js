// Keeps the page's address complete in place (one history entry a page) and copies it on request.

function complete(params) {
  const here = new URLSearchParams(location.search);
  const query = new URLSearchParams(params);
  for (const name of OF_THE_HOST) for (const value of here.getAll(name)) query.append(name, value);
  return query.size ? `?${query}` : "";
}

let known = null; // the visit that this tab has talked to

// A new visit in an old tab (the server began anew): it knows nothing of this page but its address, so open that.
function isForgotten({ visit }) {
  const isNew = known !== null && known !== visit;
  known = visit;
  return isNew;
}

function publish({ address, pages, params }) {
  const last = location.pathname.replace(/\/$/, "").split("/").pop();
  if ((pages.includes(last) ? last : "") !== address) return; // the reader has already walked on
  const search = complete(params);
  if (search === location.search) return;
  history.replaceState(history.state, "", location.pathname + search + location.hash);
  // A host that frames the app shows the address itself: tell it as Streamlit does.
  if (window.parent !== window) {
    window.parent.postMessage({ stCommVersion: 1, type: "SET_QUERY_PARAM", queryParams: search }, "*");
  }
}

export default function ({ data, parentElement }) {
  if (isForgotten(data)) return location.reload();
  publish(data);
  offerCopy(parentElement, () => shareable().href);
}
