// Keeps the page's address complete in place: one history entry a page.

function complete(params) {
  const here = new URLSearchParams(location.search);
  const query = new URLSearchParams(params);
  for (const name of OF_THE_HOST) for (const value of here.getAll(name)) query.append(name, value);
  return query.size ? `?${query}` : "";
}

// Several places of a page write its address; the browser may draw any of them anew, so only what is new counts.
const NEWEST = "larkspur:address";

function isNew({ visit, number }) {
  const newest = globalThis[NEWEST];
  if (newest?.visit === visit && newest.number >= number) return false;
  globalThis[NEWEST] = { visit, number };
  return true;
}

// Whether the reader is still on the page at `address`, one of `pages`; the overview's is empty.
function isHere({ address, pages }) {
  const last = location.pathname.replace(/\/$/, "").split("/").pop();
  return (pages.includes(last) ? last : "") === address;
}

function publish({ visit, number, address, pages, params }) {
  if (!isNew({ visit, number }) || !isHere({ address, pages })) return;
  const search = complete(params);
  if (search === location.search) return;
  history.replaceState(history.state, "", location.pathname + search + location.hash);
  // A host that frames the app shows the address itself: tell it as Streamlit does.
  if (window.parent !== window) {
    window.parent.postMessage({ stCommVersion: 1, type: "SET_QUERY_PARAM", queryParams: search }, "*");
  }
}
