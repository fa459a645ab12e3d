// Ten rivers on four pages, `?page=1` to `?page=4`. The last page has no link to the next.
const rivers = [
  ["Aare", 288], ["Danube", 2850], ["Ebro", 930], ["Loire", 1006], ["Oder", 866],
  ["Po", 652], ["Rhine", 1233], ["Rhône", 813], ["Thames", 346], ["Vistula", 1047],
];
const size = 3;
const pages = Math.ceil(rivers.length / size);
const page = Math.min(Math.max(Number(new URLSearchParams(location.search).get("page")) || 1, 1), pages);
for (const [name, length] of rivers.slice((page - 1) * size, page * size)) {
  const row = document.querySelector("tbody").insertRow();
  row.insertCell().textContent = name;
  row.insertCell().textContent = length;
}
document.querySelector("#place").textContent = `Page ${page} of ${pages}`;
const next = document.querySelector("#next");
if (page < pages) next.href = `?page=${page + 1}`;
else next.remove();
