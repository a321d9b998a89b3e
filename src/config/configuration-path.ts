/** Where a user's configuration file lies. */
import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

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
	const xdg = absolute(env.XDG_CONFIG_HOME);
	const home = absolute(env.HOME) ?? homeOfUser();
	const directory = xdg ?? (home === undefined ? undefined : join(home, ".config"));
	return directory === undefined ? undefined : { path: join(directory, "agentree", "config.yaml"), isNamed: false };
}

function homeOfUser(): string | undefined {
	try {
		return absolute(userInfo().homedir);
	} catch {
		return undefined; // a user that the system's table does not know
	}
}

/** The XDG specification: relative values are ignored. */
function absolute(value: string | undefined): string | undefined {
	return value !== undefined && isAbsolute(value) ? value : undefined;
}
