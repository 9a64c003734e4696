export default function ({ data, parentElement }) {
  offerCopy(parentElement, () => data.text);
}
