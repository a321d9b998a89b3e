/** A share below 1: `0.8` or `80%` → 0.8; `off` or `0` → 0; undefined for anything else. */
export function parseShare(text: string): number | undefined {
	if (text === "off") return 0;
	const [, number = "", percent] = /^(\d{0,3}\.?\d{0,6})(%?)$/.exec(text) ?? [];
	if (!/\d/.test(number)) return undefined;
	const share = Number(number) / (percent === "%" ? 100 : 1);
	return share < 1 ? share : undefined;
}
