// Writes the page's address after one of its parts has run alone.

export default function ({ data }) {
  if (data) publish(data);
}
