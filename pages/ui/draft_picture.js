// The draft, round by round: guesses kept (filled), thrown away (struck), and the big model's own token (outlined).

function made(name, className, ...children) {
  const element = document.createElement(name);
  element.className = className;
  element.append(...children);
  return element;
}

function chip(kind, token) {
  const element = made("span", `chip ${kind}`, token);
  element.setAttribute("aria-hidden", "true"); // the row is said in words
  return element;
}

function row({ label, kept, thrown, own, sum, said }) {
  const chips = [
    ...kept.map((token) => chip("kept", token)),
    ...thrown.map((token) => chip("thrown", token)),
    ...own.map((token) => chip("own", token)),
  ];
  return made("li", "", made("span", "label", label), ...chips, made("span", "sum", sum), made("span", "said", said));
}

export default function ({ data, parentElement }) {
  const find = (selector) => parentElement.querySelector(selector);
  const root = find(".rounds");
  const colors = getComputedStyle(root).getPropertyValue("--st-chart-categorical-colors").split(",");
  for (const element of [root, find(".key")]) {
    element.style.setProperty("--mini", colors[data.mini]);
    element.style.setProperty("--student", colors[data.student]);
  }
  find(".counts").textContent = data.counts;
  root.replaceChildren(...data.rounds.map(row));
  const replies = data.replies.flatMap(([name, reply]) => [made("dt", "", name), made("dd", "", reply)]);
  find(".replies").replaceChildren(...replies);
  find(".equal").textContent = data.equal;
}
