/**
 * The directories that git could not look into, from its warnings: a tree looks then as if nothing were there, and what comes to
 * light later is not new. Pure.
 */

const WARNING = "warning: could not open directory '";
const BEHIND_PATH = "': ";

/** `warnings`: in the locale C, one character a byte. Each ends in a slash; the tree's own directory is empty. */
export function hiddenDirectories(warnings: string): string[] {
	const told = warnings.split(WARNING).slice(1);
	return [...new Set(told.map(directoryIn))];
}

/** Git has ? for a control character, and cuts a long path: then the directory above that counts. */
function directoryIn(told: string): string {
	const end = told.indexOf(BEHIND_PATH);
	const path = end < 0 ? told : told.slice(0, end);
	const unsure = end < 0 ? path.length : path.indexOf("?");
	const sure = unsure < 0 ? path : path.slice(0, path.lastIndexOf("/", unsure) + 1);
	return sure === "." || sure === "./" ? "" : sure;
}
