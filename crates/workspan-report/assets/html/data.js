// What the page shows. Times are in nanoseconds, amounts in these or in what the metric counts, shares from 0 to 1.
const data = JSON.parse(document.getElementById('data').textContent);

const terms = new Map(data.glossary.map((term) => [term.key, term]));
const sitesById = new Map(data.sites.rows.map((site) => [site.id, site]));
