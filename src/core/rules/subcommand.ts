/** Programs whose options may stand before what they are to do: `git -C other push` is a `git push`. Pure. */
import { afterOptions, programOf } from "./wrappers.ts";

const VALUED: Readonly<Record<string, readonly string[]>> = {
	git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"],
	npm: ["--prefix", "-w", "--workspace", "--registry", "--userconfig", "--loglevel"],
	pnpm: ["-C", "--dir", "--filter", "-F", "--registry"],
	yarn: ["--cwd", "--registry"],
	cargo: ["-C", "--config", "--color", "-Z"],
	gem: ["--config-file"],
	gh: ["-R", "--repo"],
	docker: ["-H", "--host", "-c", "--context", "--config", "-l", "--log-level"],
	podman: ["--connection", "-c", "--url", "--log-level"],
	kubectl: ["-n", "--namespace", "--context", "--kubeconfig", "-s", "--server"],
};

/** The words with the plain name of the program, and without the options before what it is to do. */
export function withoutOptions(words: readonly string[]): readonly string[] {
	const [, ofGit] = /^git-(\w[\w-]*)$/.exec(programOf(words[0] ?? "")) ?? [];
	if (ofGit !== undefined) return ["git", ofGit, ...words.slice(1)]; // as git itself runs its commands
	const name = programOf(words[0] ?? "");
	const valued = Object.hasOwn(VALUED, name) ? VALUED[name] : undefined;
	if (valued === undefined) return [name, ...words.slice(1)];
	const version = /^\+/.test(words[1] ?? "") && name === "cargo" ? [words[0] ?? "", ...words.slice(2)] : words;
	return [name, ...version.slice(afterOptions(version, valued))];
}
