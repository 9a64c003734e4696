// When the reader leaves a page for another one of the app: by a link, or by Back and Forward.

// Whether the server runs a script for this page: “running”, “notRunning”, or another of Streamlit's words.
function scriptState() {
  return document.querySelector("[data-test-script-state]")?.dataset.testScriptState;
}

function linkOf({ target }) {
  return target.closest?.("a[href]");
}

// Until link.js has run, Streamlit's link to the overview is a query alone.
function leadsAway(link) {
  const isElsewhere = link.target === "_blank" || link.hasAttribute("download") || link.origin !== location.origin;
  return !isElsewhere && (link.getAttribute("href").startsWith("?") || link.pathname !== location.pathname);
}

// Call `act` with the path that is left and the link; with nothing after Back, when the address has changed already.
function whenLeaving(act) {
  addEventListener("popstate", () => act());
  const onClick = (event) => {
    const link = linkOf(event);
    if (link && leadsAway(link)) act(location.pathname, link);
  };
  document.addEventListener("click", onClick, true);
}
