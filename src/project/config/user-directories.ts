/** The user's home directory, and where their configuration file and other own files lie. */

import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** `$HOME`, else the home directory in the system's user table; `os.homedir()` would return whatever HOME says. */
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

export interface ConfigurationPath {
	readonly path: string;
	/** True when AGENTREE_CONFIG names the file: then it has to be there. */
	readonly isNamed: boolean;
}

/** `$AGENTREE_CONFIG`, else `$XDG_CONFIG_HOME/agentree/config.yaml`, else `~/.config/agentree/config.yaml`; undefined without a home. */
export function configurationPath(
	env: Readonly<Record<string, string | undefined>>,
	cwd: () => string,
): ConfigurationPath | undefined {
	const named = env.AGENTREE_CONFIG;
	if (named) return { path: isAbsolute(named) ? named : resolve(cwd(), named), isNamed: true };
	const directory = configurationDirectory(env);
	return directory === undefined ? undefined : { path: join(directory, "config.yaml"), isNamed: false };
}

/** `$XDG_CONFIG_HOME/agentree`, else `~/.config/agentree`; undefined without a home. */
export function configurationDirectory(env: Readonly<Record<string, string | undefined>>): string | undefined {
	const xdg = absoluteOnly(env.XDG_CONFIG_HOME);
	const home = homeDirectory(env);
	const directory = xdg ?? (home === undefined ? undefined : join(home, ".config"));
	return directory === undefined ? undefined : join(directory, "agentree");
}
