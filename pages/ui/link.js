// Keeps the page's address complete in place (one history entry a page) and copies it on request.
const KEPT = ["embed", "embed_options"];

function complete(params) {
  const here = new URLSearchParams(location.search);
  const query = new URLSearchParams(params);
  for (const name of KEPT) for (const value of here.getAll(name)) query.append(name, value);
  return query.size ? `?${query}` : "";
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

function shareable() {
  return location.href.replace("/~/+/", "/"); // the frame's own path on Streamlit Community Cloud
}

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const field = parentElement.querySelector("input");
  publish(data);
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(shareable());
      button.textContent = "Link copied";
    } catch {
      // No clipboard here (an address without https, a refusal): show the link, ready to copy.
      field.hidden = false;
      field.value = shareable();
      field.select();
    }
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  };
}
