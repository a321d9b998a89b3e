/**
 * Where tools keep what they have fetched or built, for all projects of their user. A tool that cannot write there fails, and what
 * an agent wrote there other projects would run: so commands write into a layer of the run's own above these places. Where a place
 * is not there, a variable leads the tool to the run's /tmp. Pure.
 */
import { accessTo, type Confinement, isWritable } from "../core/machine/sandbox.ts";
import { wordsOf } from "./places.ts";

interface Cache {
	/** Below the home directory. */
	readonly at: string;
	/** The variable that names another place. */
	readonly variable?: string;
	/** What the variable has to say, for a directory; absent: the directory. */
	readonly value?: (directory: string) => string;
}

/** What programs are kept beside is found in this run alone when it is new. */
const CACHES: readonly Cache[] = [
	{ at: ".cache" }, // pip, uv, Go's builds, Yarn 1, Poetry, node-gyp, browsers for tests …
	{ at: ".npm", variable: "npm_config_cache" },
	{ at: ".local/share/pnpm", variable: "PNPM_HOME" },
	{ at: ".yarn", variable: "YARN_GLOBAL_FOLDER" },
	{ at: ".bun", variable: "BUN_INSTALL_CACHE_DIR" },
	{ at: ".deno" },
	{ at: ".cargo", variable: "CARGO_HOME" },
	{ at: ".rustup" },
	{ at: "go/pkg", variable: "GOMODCACHE" },
	{ at: ".gradle", variable: "GRADLE_USER_HOME" },
	{ at: ".m2", variable: "MAVEN_OPTS", value: (directory) => `-Dmaven.repo.local=${directory}` },
	{ at: ".ivy2" },
	{ at: ".sbt" },
	{ at: ".nuget", variable: "NUGET_PACKAGES" },
	{ at: ".composer", variable: "COMPOSER_CACHE_DIR" },
	{ at: ".bundle", variable: "BUNDLE_USER_HOME" },
	{ at: ".local/share/uv" },
	{ at: ".pub-cache", variable: "PUB_CACHE" },
	{ at: ".conda" },
	{ at: ".julia" },
	{ at: ".cabal" },
	{ at: ".stack" },
	{ at: ".ccache", variable: "CCACHE_DIR" },
];
/** Parts of `~/.cache` with a variable of their own: what else is there stays within reach. */
const IN_CACHE: readonly Cache[] = [
	{ at: ".cache/pip", variable: "PIP_CACHE_DIR" },
	{ at: ".cache/uv", variable: "UV_CACHE_DIR" },
	{ at: ".cache/go-build", variable: "GOCACHE" },
	{ at: ".cache/yarn", variable: "YARN_CACHE_FOLDER" },
];
const NAMED_BY = wordsOf(`
	XDG_CACHE_HOME npm_config_cache NPM_CONFIG_CACHE PIP_CACHE_DIR UV_CACHE_DIR GOCACHE GOMODCACHE YARN_CACHE_FOLDER
	YARN_GLOBAL_FOLDER PNPM_HOME CARGO_HOME RUSTUP_HOME GRADLE_USER_HOME NUGET_PACKAGES COMPOSER_CACHE_DIR PUB_CACHE
	CCACHE_DIR BUN_INSTALL_CACHE_DIR DENO_DIR
`);

type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute paths; whether they are there is not looked at. */
export function cachePlaces(env: Environment, homes: readonly string[]): string[] {
	const usual = homes.flatMap((home) => CACHES.map(({ at }) => `${home}/${at}`));
	const named = [...NAMED_BY.map((name) => env[name] ?? ""), `${env.GOPATH ?? ""}/pkg`];
	return [...new Set([...usual, ...named.filter((path) => /^\/[^/]+\/[^/]/.test(path))])];
}

/** For tools whose usual place cannot be written to. `isThere`: whether something is at a path. */
export function cacheVariables(
	env: Environment,
	{ mounts }: Confinement,
	isThere: (path: string) => boolean,
): Record<string, string> {
	const { HOME: home } = env;
	if (home === undefined || !home.startsWith("/")) return {};
	const whole: Cache = isThere(`${home}/.cache`) ? { at: ".cache" } : { at: ".cache", variable: "XDG_CACHE_HOME" };
	const missing = [whole, ...IN_CACHE, ...CACHES].filter(({ at, variable }) => {
		if (variable === undefined || env[variable] !== undefined) return false;
		return !isWritable(accessTo(`${home}/${at}`, mounts));
	});
	return Object.fromEntries(
		missing.map(({ at, variable = "", value }) => {
			const directory = `/tmp/.caches/${at.replace(/^\./, "")}`;
			return [variable, value?.(directory) ?? directory];
		}),
	);
}
