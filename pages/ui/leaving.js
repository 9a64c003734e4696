// When the reader leaves a page for another one of the app: by a link, or by Back and Forward.

// Until link.js has run, Streamlit's link to the overview is a query alone.
function leadsAway(link) {
  const isElsewhere = link.target === "_blank" || link.hasAttribute("download") || link.origin !== location.origin;
  return !isElsewhere && (link.getAttribute("href").startsWith("?") || link.pathname !== location.pathname);
}

// Call `act` with the path that is left and the link; with nothing after Back, when the address has changed already.
function whenLeaving(act) {
  addEventListener("popstate", () => act());
  const onClick = ({ target }) => {
    const link = target.closest?.("a[href]");
    if (link && leadsAway(link)) act(location.pathname, link);
  };
  document.addEventListener("click", onClick, true);
}
