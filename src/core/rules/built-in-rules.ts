/** The rules that come with the program: what leaves the machine for others asks, and what only reads is allowed. Pure. */
import { type RuleSet, ruleSet } from "./rule.ts";

/** What others see, and what can hardly be taken back. */
const ASK = `
	git push, git send-pack, git send-email, git subtree push, git lfs push, git svn dcommit
	hub push, sl push, hg push, svn commit, svn ci, jj git push
	npm publish, npm unpublish, npm deprecate, Bash(npm pub*), npm dist-tag add, npm dist-tag rm, npm owner add
	npm run publish, npm run-script publish, pnpm run publish, yarn run publish, bun run publish
	pnpm recursive publish, pnpm publish, yarn publish, yarn npm publish, bun publish, deno publish, jsr publish
	cargo publish, cargo yank, gem push, gem yank
	twine upload, poetry publish, uv publish, flit publish, hatch publish, pdm publish, maturin publish
	Bash(python* setup.py* upload *), Bash(setup.py* upload *), luarocks upload, cabal upload, stack upload, vsce publish, ovsx publish
	lerna publish, changeset publish, yarn changeset publish, pnpm changeset publish, bun run changeset publish, @changesets/cli publish
	semantic-release, release-it, nuget push, dotnet nuget push, mix hex.publish, dart pub publish, flutter pub publish
	mvn deploy, Bash(mvn * deploy *), mvnw deploy, Bash(mvnw * deploy *)
	Bash(gradle publish *), Bash(gradle * publish *), Bash(gradlew publish *), Bash(gradlew * publish *)
	Bash(gradle* *:publish *)
	docker push, docker image push, docker compose push, docker-compose push, docker manifest push
	Bash(docker compose -* push *), Bash(docker-compose -* push *), Bash(docker* --push *)
	podman push, podman image push, podman manifest push, buildah push, helm push
	gh release create, gh release new, gh release delete, gh release delete-asset, gh release upload, gh release edit
	gh pr create, gh pr new, gh pr ready, gh pr reopen, gh pr merge, gh pr comment, gh pr review, gh pr edit, gh pr close
	gh issue create, gh issue new, gh issue delete, gh issue reopen, gh issue comment, gh issue edit, gh issue close
	gh gist create, gh gist edit, gh gist delete, gh workflow run, gh secret set, gh secret delete
	gh repo delete, gh repo create, gh repo edit, gh repo rename, gh repo archive
	Bash(gh api * -f body=*), Bash(gh api * -F body=*), Bash(gh api * --field body=*), Bash(gh api * --raw-field body=*)
	Bash(gh api *-X*POST*), Bash(gh api *-X*PUT*), Bash(gh api *-X*PATCH*), Bash(gh api *-X*DELETE*)
	Bash(gh api *--method*POST*), Bash(gh api *--method*PUT*), Bash(gh api *--method*PATCH*), Bash(gh api *--method*DELETE*)
	glab mr create, glab mr merge, glab mr note, glab issue create, glab issue note, glab release create
	firebase deploy, vercel deploy, netlify deploy, wrangler deploy, wrangler publish, fly deploy, flyctl deploy
`;

/** They read, and print. None of them runs another program or writes a file by an option of its own. */
const READING = `
	ls, pwd, cat, head, tail, wc, nl, tac, cut, tr, comm, cmp, diff, stat, du, df, realpath, readlink, basename, dirname
	which, type, command -v *, grep, egrep, fgrep, echo, true, false, cd, sleep, seq, uname, whoami, id, nproc
	Bash(date), Bash(date +%s), Bash(date +%F), Bash(date -u)
	git status, git rev-parse, git ls-files, git describe
	agent todo, agent ask
`;

/** The source of the built-in rules. */
export const BUILT_IN = "agentree itself";

export const BUILT_IN_RULES: RuleSet = {
	...ruleSet({ source: BUILT_IN, allow: rulesIn(READING), ask: rulesIn(ASK), deny: [] }),
	isBuiltIn: true,
};

function rulesIn(text: string): readonly string[] {
	return text
		.split(/,|\n/)
		.map((rule) => rule.trim())
		.filter((rule) => rule !== "");
}
