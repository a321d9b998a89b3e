/** Programs whose options may stand before what they are to do: `git -C other push` is a `git push`. Pure. */
import { afterOptions, programOf } from "./wrappers.ts";

const VALUED: Readonly<Record<string, readonly string[]>> = {
	git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"],
	npm: ["--prefix", "-w", "--workspace", "--registry", "--userconfig", "--loglevel", "--tag", "--access", "--otp"],
	pnpm: ["-C", "--dir", "--filter", "-F", "--registry"],
	yarn: ["--cwd", "--registry"],
	cargo: ["-C", "--config", "--color", "-Z"],
	gem: ["--config-file"],
	gh: ["-R", "--repo"],
	docker: ["-H", "--host", "-c", "--context", "--config", "-l", "--log-level"],
	podman: ["--connection", "-c", "--url", "--log-level"],
	hg: ["-R", "--repository", "--cwd", "--config"],
	jj: ["-R", "--repository", "--at-op", "--at-operation", "--config"],
	uv: ["--directory", "--project", "--config-file", "--cache-dir"],
	poetry: ["-C", "--directory", "-P", "--project"],
	firebase: ["-P", "--project", "-c", "--config"],
	kubectl: ["-n", "--namespace", "--context", "--kubeconfig", "-s", "--server"],
};

/** The words with the plain name of the program, and without the options before what it is to do. */
export function withoutOptions(words: readonly string[]): readonly string[] {
	const [, ofGit] = /^git-(\w[\w-]*)$/.exec(programOf(words[0] ?? "")) ?? [];
	if (ofGit !== undefined) return ["git", ofGit, ...words.slice(1)]; // as git itself runs its commands
	const name = programOf(words[0] ?? "").replace(/(?<=.)@.*$/, ""); // of `npx npm@9` the version
	const valued = Object.hasOwn(VALUED, name) ? VALUED[name] : undefined;
	if (valued === undefined) return [name, ...words.slice(1)];
	const version = /^\+/.test(words[1] ?? "") && name === "cargo" ? [words[0] ?? "", ...words.slice(2)] : words;
	return [name, ...version.slice(afterOptions(version, valued))];
}

/** What runs a program of a project, or of a package, by its name; the name comes next. */
const RUNNERS: readonly string[] = [
	...["npm exec", "npm x", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "yarn run", "bun x", "bundle exec"],
	...["uv run", "uv tool run", "poetry run", "pipenv run", "pdm run", "hatch run", "rye run", "pipx run", "mise exec"],
];
const RUNNER_VALUED = ["--with", "--from", "--package", "-p", "--python", "--extra", "--group", "--spec"];
/** The words that run it in the plainest way: `python3 -m twine upload` is `twine upload`. Undefined: they do. */
export function withoutRunner(words: readonly string[]): readonly string[] | undefined {
	const [name = "", second = "", third = ""] = words;
	if (/^(?:python|pypy)[\d.]*$/.test(name)) {
		const options = words.slice(0, afterOptions(words, ["-m", "-X", "-W"]));
		const module = options.findIndex((word) => /^-[A-Za-ln-z]*m/.test(word));
		const attached = options[module]?.replace(/^-[A-Za-ln-z]*m/, "") ?? "";
		return module < 0 ? undefined : [...(attached === "" ? [] : [attached]), ...words.slice(module + 1)];
	}
	if (name === "yarn" && second === "workspace") return [name, ...words.slice(3)];
	if (name === "yarn" && second === "workspaces" && third === "foreach")
		return [name, ...behindOptions(words.slice(2), ["--include", "--exclude", "-j", "--jobs"])];
	const runner = RUNNERS.find((one) => words.slice(0, one.split(" ").length).join(" ") === one);
	return runner === undefined ? undefined : behindOptions(words.slice(runner.split(" ").length - 1), RUNNER_VALUED);
}

function behindOptions(words: readonly string[], valued: readonly string[]): readonly string[] {
	return words.slice(afterOptions(words, valued));
}
