/** What is not used of a project's files, as few lines: it may be any number, and some are told to models. Pure. */
import { preview } from "../../core/preview.ts";

const MAX_NOTICES = 12;
const MAX_CHARS = 300; // of one

export function boundedNotices(notices: readonly string[]): string[] {
	const shown = notices.slice(0, MAX_NOTICES).map((notice) => preview(notice, MAX_CHARS));
	const more = notices.length - shown.length;
	return more === 0 ? shown : [...shown, `${more} more ${more === 1 ? "file is" : "files are"} not used`];
}
