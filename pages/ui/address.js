// The address of a page as it can be given to others.
const OF_THE_HOST = ["embed", "embed_options"]; // how a page is framed: kept in place, left out of a copied link

function shareable() {
  const url = new URL(location.href.replace("/~/+/", "/")); // the frame's own path on Streamlit Community Cloud
  for (const name of OF_THE_HOST) url.searchParams.delete(name);
  return url;
}
