const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** `4096`, `500M`, `2g`, `1GiB` → bytes; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
	const [, amount, unit = ""] = /^(\d{1,12})([KMGT]?)i?B?$/i.exec(text) ?? [];
	return amount === undefined ? undefined : Number(amount) * (UNITS[unit.toUpperCase()] ?? 1);
}
