// A place that screen readers watch: it stays where it is, and only its words change.
export default function ({ data, parentElement }) {
  const place = parentElement.querySelector("[role=status]");
  if (place.textContent !== data.words) place.textContent = data.words;
}
