/** Times of day as people read them, as the user's clock shows them. */

/** `2026-11-27 20:15:30` */
export function dateTime(at: number): string {
	const date = new Date(at);
	const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0"));
	return `${day.join("-")} ${shortTime(at)}`;
}

/** `20:15:30` */
export function shortTime(at: number): string {
	const date = new Date(at);
	const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
	return parts.map((n) => String(n).padStart(2, "0")).join(":");
}

/** `20:15:30.123` */
export function clockTime(at: number): string {
	return `${shortTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, "0")}`;
}
