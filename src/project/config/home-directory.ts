/** The user's home directory, and directories that the environment names. */
import { userInfo } from "node:os";
import { isAbsolute } from "node:path";

/** `$HOME`, else what the system's table of users says; `os.homedir()` would give back whatever HOME says. Undefined for neither. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string | undefined {
	return absoluteOnly(env.HOME) ?? homeOfUser();
}

/** The value when it is an absolute path. The XDG specification says to ignore relative ones, and a relative HOME is no home. */
export function absoluteOnly(value: string | undefined): string | undefined {
	return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** The home directory that the system's table of users has, whatever HOME says; undefined for none. */
export function homeOfUser(): string | undefined {
	try {
		return absoluteOnly(userInfo().homedir);
	} catch {
		return undefined; // a user that the system's table does not know
	}
}

/** A path as in a shell, which expands a `~` of a word of its own alone, and none in a variable that a file of a CI sets. */
export function withHome(path: string, home: string | undefined): string {
	return home === undefined ? path : path.replace(/^~(?=\/|$)/, () => home);
}
