import { expect, test } from "vitest";
import type { Confinement } from "../../../src/core/machine/sandbox.ts";
import { hiddenConfiguration } from "../../../src/sandbox/hidden-configuration.ts";

const FILES = [".npmrc", ".yarnrc.yml", ".netrc", ".pypirc", ".cargo/credentials.toml", ".m2/settings.xml", ".pgpass"];
const DIRECTORIES = [".ssh", ".aws", ".docker", ".kube", ".config/gcloud", ".config/gh", ".config/composer"];
const CONFINEMENT: Confinement = {
	...{ mode: "workspace", network: "host", hosts: [] },
	mounts: [
		{ path: "/h/p", as: "write" },
		...FILES.map((name) => ({ path: `/h/${name}`, as: "hidden file" as const })),
		...DIRECTORIES.map((name) => ({ path: `/h/${name}`, as: "hidden directory" as const })),
		{ path: "/x/kube", as: "hidden file" },
	],
};
const ran = (command: string, text = "", env = {}) => ({
	...{ commands: command === "" ? [] : [command], lines: text.split("\n"), home: "/h", env },
});
const found = (command: string, text?: string, env?: Record<string, string>) =>
	hiddenConfiguration(ran(command, text, env), CONFINEMENT).map(({ written }) => written);

test.each([
	["npm ci", "npm error 404 Not Found", "~/.npmrc"],
	["npm install left-pad", "", "~/.npmrc"],
	["npx tool", "", "~/.npmrc"],
	["yarn", "", "~/.npmrc ~/.yarnrc.yml"],
	["", "npm error code E404", "~/.npmrc"],
	["", "npm ERR! code ETARGET", "~/.npmrc"],
	["ssh work true", "ssh: Could not resolve hostname work: Name or service not known", "~/.ssh/config"],
	["rsync -a x work:y", "", "~/.ssh/config"],
	["git push origin main", "ssh: Could not resolve hostname work", "~/.ssh/config"],
	["git fetch", "fatal: Authentication failed for 'https://example.org/'", "~/.netrc"],
	["curl -n https://example.org", "curl: (22) The requested URL returned error: 401", "~/.netrc"],
	["docker pull registry.example/x", "", "~/.docker/config.json"],
	["twine upload dist/*", "", "~/.pypirc"],
	["pip install own-package", "ERROR: No matching distribution found for own-package", "~/.netrc"],
	["aws s3 ls", "", "~/.aws"],
	["", "botocore.exceptions.NoCredentialsError: Unable to locate credentials", "~/.aws"],
	["cargo publish", "", "~/.cargo/credentials.toml"],
	["cargo build", "error: no token found for `own`, registry", "~/.cargo/credentials.toml"],
	["kubectl get pods", "", "~/.kube/config"],
	["gcloud auth list", "", "~/.config/gcloud"],
	["mvn package", "[ERROR] Could not transfer artifact a:b:1", "~/.m2/settings.xml"],
	["psql -h db", "", "~/.pgpass"],
	["gh pr list", "", "~/.config/gh"],
	["composer install", "", "~/.config/composer"],
])("%s that prints %j may have missed %s", (command, text, expected) => {
	expect(found(command, text).join(" ")).toBe(expected);
});

/** Of a failure that has nothing to do with it nothing is said. */
test.each([
	["npm test", "1 failed"],
	["npm run build", ""],
	["yarn build", ""],
	["cargo build", "error[E0308]: mismatched types"],
	["mvn test", "[ERROR] Tests run: 3, Failures: 1"],
	["git commit -m x", "fatal: bad"],
	["git push", "! [rejected] main -> main (fetch first)"],
	["curl localhost:1", "curl: (3) bad range"],
	["grep -r 'npm error' .", ""],
	["sed -n 1p notes", "in the docs: npm error"],
	["", ""],
])("%s that prints %j has missed none", (command, text) => {
	expect(found(command, text)).toEqual([]);
});

test("a variable names another place; what is not hidden is not told; the program is", () => {
	expect(found("kubectl get pods", "", { KUBECONFIG: "/x/kube:/h/p/kube" })).toEqual(["/x/kube"]);
	expect(found("oci x")).toEqual([]);
	expect(hiddenConfiguration(ran("npm ci"), CONFINEMENT)).toEqual([
		{ path: "/h/.npmrc", written: "~/.npmrc", program: "npm", isRegistry: true },
	]);
	const shown = { ...CONFINEMENT, mounts: [...CONFINEMENT.mounts, { path: "/h/.npmrc", as: "read" as const }] };
	expect(hiddenConfiguration(ran("npm ci"), shown)).toEqual([]);
});
