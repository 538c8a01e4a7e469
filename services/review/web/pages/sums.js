// Sums without rounding: amounts as whole numbers of 1/10000. What a person is still typing is
// read with either decimal sign, and what cannot be read counts as nothing known.

const PLACES = 4;
const ONE = 10n ** BigInt(PLACES);

export function amount(text) {
  let given = String(text ?? "").replace(/[^\d.,-]/g, "");
  if (!/\d/.test(given)) return null;
  // The last of both signs separates the decimals; three digits behind a lone one are thousands
  // only when that sign stands more than once.
  const comma = given.lastIndexOf(",");
  const point = given.lastIndexOf(".");
  const sign = comma > point ? "," : ".";
  const isGrouping = given.split(sign).length > 2;
  given = given.replaceAll(sign === "," ? "." : ",", "");
  given = isGrouping ? given.replaceAll(sign, "") : given.replace(",", ".");
  const found = /^(-?)(\d*)(?:\.(\d*))?$/.exec(given);
  if (!found) return null;
  const [, minus, whole, part = ""] = found;
  const digits = BigInt((whole || "0") + part.slice(0, PLACES).padEnd(PLACES, "0"));
  return minus ? -digits : digits;
}

// Null as soon as one of them is not known.
export function sum(texts) {
  let total = 0n;
  for (const text of texts) {
    const one = amount(text);
    if (one === null) return null;
    total += one;
  }
  return total;
}

export function written(total) {
  const size = total < 0n ? -total : total;
  const part = String(size % ONE).padStart(PLACES, "0").replace(/0{1,2}$/, "");
  return `${total < 0n ? "−" : ""}${size / ONE}.${part}`;
}
