/** Whether a change of a repository's configuration has git run nothing and send nothing elsewhere (git-config(1)). Pure. */

/** What `git remote add`, `git push -u`, `git branch` and `git config user.name` write. */
const HARMLESS = /^(remote\..+\.(url|fetch)|branch\..+\.(remote|merge|rebase|vscode-merge-base)|user\.(name|email))$/;

/** Of what git itself writes: any other way to write it is no harmless one. Of a remote that was there before nothing may change. */
export function isHarmlessChange(before: string, after: string): boolean {
	const [old, now] = [entriesOf(before), entriesOf(after)];
	if (old === undefined || now === undefined) return false;
	const changed = [...without(now, old), ...without(old, now)];
	const remotes = new Set(old.flatMap(({ key }) => (key.startsWith("remote.") ? [sectionOf(key)] : [])));
	return changed.every(({ key, value }) => HARMLESS.test(key) && !remotes.has(sectionOf(key)) && !/^-|::/.test(value));
}

interface Entry {
	/** The section and the name in lower case, as git reads them. */
	readonly key: string;
	readonly value: string;
}

const sectionOf = (key: string) => key.slice(0, key.lastIndexOf("."));

function without(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
	const textOf = ({ key, value }: Entry) => `${key}=${value}`;
	const there = new Set(others.map(textOf));
	return entries.filter((entry) => !there.has(textOf(entry)));
}

function entriesOf(text: string): Entry[] | undefined {
	const entries: Entry[] = [];
	let section: string | undefined;
	for (const line of text.split("\n")) {
		if (/^\s*([#;].*)?$/.test(line)) continue;
		const [, name, sub] = /^\[([\w-]+)(?: "([^"\\]*)")?\]$/.exec(line) ?? [];
		const [, key, value] = /^\s+([\w-]+) = (.*[^\\]|)$/.exec(line) ?? [];
		if (name !== undefined) section = [name.toLowerCase(), ...(sub === undefined ? [] : [sub])].join(".");
		else if (key === undefined || section === undefined) return undefined;
		else entries.push({ key: `${section}.${key.toLowerCase()}`, value: value ?? "" });
	}
	return entries;
}
