/** The paths of the user's configuration file, and of the directory for all that is the user's own. */
import { isAbsolute, join, resolve } from "node:path";
import { absoluteOnly, homeDirectory } from "./home-directory.ts";

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
