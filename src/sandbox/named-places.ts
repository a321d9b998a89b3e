/** Places that the environment of a run names. */
import { delimiter, dirname, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that name a file or a directory of secrets, or a socket through which others act for the user. */
const SECRET_VARIABLES = [
	...["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"],
	...["AZURE_CONFIG_DIR", "KUBECONFIG", "DOCKER_CONFIG", "DOCKER_HOST", "DOCKER_CERT_PATH", "CONTAINER_HOST"],
	...["GNUPGHOME", "PASSWORD_STORE_DIR", "SOPS_AGE_KEY_FILE", "VAULT_TOKEN_PATH", "KRB5CCNAME", "NETRC"],
	...["HF_TOKEN_PATH", "KAGGLE_CONFIG_DIR", "CONDARC", "BUNDLE_USER_CONFIG", "RCLONE_CONFIG", "BOTO_CONFIG"],
	...["NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "PIP_CONFIG_FILE", "PGPASSFILE", "PGSERVICEFILE"],
	...["GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "HISTFILE", "XAUTHORITY"],
	...["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "TMUX", "STY", "NVIM", "VSCODE_IPC_HOOK_CLI"],
];

/** Absolute paths; `FILE:/path`, `unix:path=/path,…` and `/path,…` are understood. */
export function secretsNamedBy(env: Environment): string[] {
	const values = SECRET_VARIABLES.flatMap((name) => (env[name] ?? "").split(/[,;]|:(?=\/(?!\/))|=/));
	const paths = values.map((value) => value.replace(/^unix:\/\//, "")).filter((value) => value.startsWith("/"));
	return [...new Set(paths.map((path) => resolve(path)).filter((path) => path !== "/"))];
}

/** Below `$XDG_CONFIG_HOME`, say, there is what stands below `~/.config` otherwise. */
export function movedSecrets(names: readonly string[], env: Environment): string[] {
	const moved = (variable: string, before: string) => {
		const directory = env[variable] ?? "";
		if (!directory.startsWith("/")) return [];
		return names.filter((name) => name.startsWith(before)).map((name) => `${directory}/${name.slice(before.length)}`);
	};
	return [
		...moved("XDG_CONFIG_HOME", ".config/"),
		...moved("XDG_STATE_HOME", ".local/state/"),
		...moved("XDG_DATA_HOME", ".local/share/"),
		...moved("XDG_CACHE_HOME", ".cache/"),
		...moved("CARGO_HOME", ".cargo/"),
		...moved("GRADLE_USER_HOME", ".gradle/"),
		...moved("HF_HOME", ".cache/huggingface/"),
	];
}

/**
 * Directories of programs that run outside of the sandbox, too: those of PATH, and that of agentree. Who writes there takes
 * the place of such a program.
 */
export function programPlaces({ PATH = "" }: Environment, cwd: string, agentProgram: string): string[] {
	const named = PATH.split(delimiter).map((directory) => resolve(cwd, directory));
	return [...new Set([...named, dirname(agentProgram), dirname(dirname(agentProgram))])];
}
