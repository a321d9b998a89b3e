/**
 * Hidden places that are also configuration: a program without its own is told nothing of that, and fails in another way, or finds
 * other packages than it should. Pure.
 */
import { accessTo, type Confinement, deepestOver, isHidden } from "../core/machine/sandbox.ts";

interface Row {
	/** Below the home directory. */
	readonly place: string;
	/** What of a directory is configuration, rather than a key. */
	readonly file?: string;
	/** Variables that name another place. */
	readonly variables?: readonly string[];
	/** A command that reads it, by the plain name of its program. */
	readonly reads: RegExp;
	/** Such a program prints this, whatever has started it. */
	readonly prints?: RegExp;
	/** Only a failure with such words has to do with it; absent: every failure. */
	readonly said?: RegExp;
	/** It names registries: without it a package of that name may come from another one. */
	readonly isRegistry?: true;
}

/** Hidden files of one program each, in which it keeps keys and what else it was told; which commands read them. Pure. */

export const KEYS_OF: Readonly<Record<string, RegExp>> = {
	".config/pnpm/rc": /^pnpm\b/,
	".bunfig.toml": /^(?:bun|bunx)\b/,
	".bundle/config": /^bundle(?:r)?\b/,
	".local/share/gem/credentials": /^(?:gem|rake release)\b/,
	".local/share/uv/credentials": /^(?:uv|uvx)\b/,
	".condarc": /^(?:conda|mamba|micromamba)\b/,
	".ivy2/.credentials": /^sbt\b/,
	".sbt/.credentials": /^sbt\b/,
	".m2/settings-security.xml": /^(?:mvn|mvnw|mvnd)\b/,
	".composer/auth.json": /^composer\b/,
	".hex/hex.config": /^mix\b/,
	".subversion/auth": /^svn\b/,
	".config/tea": /^tea\b/,
	".cache/huggingface/token": /^(?:hf|huggingface-cli)\b/,
	".kaggle": /^kaggle\b/,
	".config/replicate": /^replicate\b/,
	".dbt/profiles.yml": /^dbt\b/,
	".databrickscfg": /^databricks\b/,
	".snowflake": /^snow\b/,
	".pulumi/credentials.json": /^pulumi\b/,
	".fly/config.yml": /^(?:fly|flyctl)\b/,
	".netlify/config.json": /^netlify\b/,
	".config/netlify": /^netlify\b/,
	".local/share/com.vercel.cli": /^vercel\b/,
	".config/.wrangler": /^wrangler\b/,
	".railway/config.json": /^railway\b/,
	".supabase/access-token": /^supabase\b/,
	".config/stripe": /^stripe\b/,
	".config/configstore": /^firebase\b/,
	".config/helm/registry": /^helm\b/,
	".sentryclirc": /^sentry-cli\b/,
	".config/hcloud": /^hcloud\b/,
	".msmtprc": /^msmtp\b/,
	".mylogin.cnf": /^mysql\w*\b/,
};

/** Words with which programs fail that may not have what they asked for. */
const ACCESS =
	/\b40[0134]\b|E40[134]|unauthori[sz]ed|not authori[sz]ed|forbidden|authenticat|authori[sz]ation|credential|denied|log ?in|password|passphrase|token|not found|no match|unable to|could ?n.?t|could not|cannot|can't|no such|not exist|resolve|unknown host|name or service|refused|timed? ?out|ENOTFOUND|ETARGET|certificate|registry|repository/i;
const OF_NPM =
	"(?:ci|i|in|install|add|update|up|upgrade|outdated|view|info|show|publish|unpublish|whoami|audit|access|dist-tag|search|owner|team|login|ping|pack|create|init|exec|x|dlx|install-test|it|clean-install|install-clean|install-ci-test|deprecate|deprecation|profile|org|fetch|import|link|dedupe|query|rebuild|self-update|npm)";
const REMOTE_OF_GIT = "git (?:fetch|pull|push|clone|ls-remote|submodule|remote|lfs|archive|svn|send-email)";

const ROWS: readonly Row[] = [
	{
		place: ".npmrc",
		variables: ["NPM_CONFIG_USERCONFIG", "npm_config_userconfig"],
		isRegistry: true,
		reads: new RegExp(
			`^(?:(?:npm|pnpm|bun|yarn|lerna|nx) ${OF_NPM}\\b|yarn(?:$| -)|npx |bunx |pnpx |ncu\\b|semantic-release)`,
		),
		prints: /^(?:npm (?:error|ERR!)|\s*ERR_PNPM)/,
	},
	...[".yarnrc", ".yarnrc.yml"].map((place) => ({
		place,
		isRegistry: true as const,
		reads: new RegExp(`^yarn(?:$| -| ${OF_NPM}\\b)`),
	})),
	{
		place: ".ssh",
		file: "config",
		reads: /^(?:ssh|scp|sftp|sshfs|ssh-copy-id|ssh-keygen|autossh|mosh|rsync|ansible[\w-]*|fab|cap)\b/,
		prints: /^(?:ssh|kex_exchange_identification|rsync): |^Host key verification|^\S+: Permission denied \(/,
	},
	{
		place: ".ssh",
		file: "config",
		reads: new RegExp(`^${REMOTE_OF_GIT}\\b`),
		said: /ssh|publickey|host key|hostname|could not read from remote repository/i,
	},
	...[".netrc", ".git-credentials", ".config/git/credentials"].map((place) => ({
		place,
		reads: new RegExp(`^${REMOTE_OF_GIT}\\b`),
		said: /https?:|username|password|authentication failed|\b40[134]\b/i,
	})),
	{
		place: ".netrc",
		variables: ["NETRC"],
		said: ACCESS,
		reads:
			/^(?:curl|wget|http|https|ftp|hg (?:pull|push|clone|incoming|outgoing|identify)|pip[\d.]* (?:install|download|index|wheel|search)|uv (?:pip|sync|add|lock|tool|run|publish)|uvx|poetry (?:install|add|update|lock|publish)|go (?:get|mod|install|build|test|run|list|vet)|dvc|wandb)\b/,
	},
	{
		place: ".docker",
		file: "config.json",
		variables: ["DOCKER_CONFIG"],
		reads:
			/^(?:docker|docker-compose|podman|buildah|skopeo|crane|oras|cosign|nerdctl|helm|ko|jib|kaniko|trivy|regctl)\b/,
	},
	{
		place: ".config/containers",
		reads: /^(?:podman|buildah|skopeo)\b/,
	},
	{
		place: ".pypirc",
		prints: /^(?:ERROR\s+|twine: )?(?:InvalidConfiguration|HTTPError: 40[13])/,
		reads:
			/^(?:twine|flit publish|hatch publish|poetry publish|uv publish|maturin (?:publish|upload)|pdm publish|python[\d.]* setup\.py \w|pip-compile)/,
	},
	{
		place: ".config/pypoetry",
		reads: /^poetry (?:install|add|update|lock|publish|config|source|self)\b/,
		isRegistry: true,
	},
	...[".config/pip/pip.conf", ".pip/pip.conf"].map((place) => ({
		variables: ["PIP_CONFIG_FILE"],
		place,
		isRegistry: true as const,
		reads: /^(?:pip[\d.]* (?:install|download|index|wheel|search|config)|pip-compile|pip-sync|tox|nox|pipx)\b/,
	})),
	{
		place: ".aws",
		variables: ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"],
		reads:
			/^(?:aws|aws-vault|sam|cdk|eb|ecs-cli|eksctl|copilot|chalice|serverless|sls|terraform|terragrunt|tofu|pulumi|packer|s3cmd|s4cmd|s5cmd|rclone|sops|localstack|awslocal|boto3?)\b/,
		prints:
			/(?:unable to locate credentials|NoCredentialsError|the config profile \(.*\) could not be found|ProfileNotFound|could not load credentials|no valid credential sources)/i,
	},
	...[".cargo/credentials.toml", ".cargo/credentials"].flatMap((place) => [
		{ place, reads: /^cargo (?:publish|login|logout|owner|yank|search|info|install|add|fetch|update)\b/ },
		{
			place,
			reads: /^cargo /,
			said: /registry|authenticat|token|\b40[13]\b|failed to (?:get|fetch|download|query)/i,
		},
	]),
	{
		place: ".kube",
		file: "config",
		variables: ["KUBECONFIG"],
		reads:
			/^(?:kubectl|oc|helm|helmfile|k9s|kustomize|flux|argocd|istioctl|kubectx|kubens|stern|skaffold|tilt|velero|eksctl|linkerd|cilium|kn|tkn|krew)\b/,
		prints:
			/the connection to the server localhost:8080 was refused|^error: (?:no configuration has been provided|current-context)|^Error: Kubernetes cluster unreachable/i,
	},
	{
		place: ".config/gcloud",
		variables: ["CLOUDSDK_CONFIG", "GOOGLE_APPLICATION_CREDENTIALS"],
		reads: /^(?:gcloud|gsutil|bq|terraform|terragrunt|tofu|pulumi|firebase|cbt|docker-credential-gcloud)\b/,
		prints:
			/could not automatically determine credentials|default credentials were not found|You do not currently have an active account/i,
	},
	{ place: ".boto", reads: /^(?:gsutil|boto)\b/ },
	{ place: ".azure", variables: ["AZURE_CONFIG_DIR"], reads: /^(?:az|azd|azcopy|func|terraform|tofu|pulumi)\b/ },
	{
		place: ".m2/settings.xml",
		isRegistry: true,
		prints: /^\[(?:ERROR|WARNING)\].*(?:Could not (?:transfer|resolve|find)|Non-resolvable)/,
		reads: /^(?:mvn|mvnw|mvnd)\b/,
		said: /could not|non-resolvable|\b40[13]\b|unauthori|forbidden|unknown host|not authorized|transfer|repositor/i,
	},
	{
		place: ".gradle/gradle.properties",
		isRegistry: true,
		reads: /^(?:gradle|gradlew)\b/,
		said: /could not (?:resolve|get|find|create|set unknown property)|\b40[13]\b|unauthori|forbidden|credential|property|signing|not authorized/i,
	},
	{
		place: ".gem/credentials",
		reads: /^(?:gem (?:push|yank|owner|signin|install|fetch)|rake release|bundle (?:install|update))\b/,
		said: ACCESS,
	},
	{
		place: ".nuget/NuGet",
		isRegistry: true,
		reads: /^(?:dotnet (?:restore|add|nuget|build|publish|tool|pack|test|run)|nuget|paket|msbuild)\b/,
		said: /NU1\d\d\d|\b40[13]\b|unauthori|feed|source|index\.json|credential/i,
	},
	{
		place: ".config/composer",
		isRegistry: true,
		reads: /^composer (?:install|update|require|create-project|show|outdated|global|diagnose)\b/,
	},
	{
		place: ".pgpass",
		variables: ["PGPASSFILE", "PGSERVICEFILE"],
		reads: /^(?:psql|pg_\w+|createdb|dropdb|pgcli|vacuumdb|reindexdb)\b/,
		prints: /^(?:psql|pg_\w+): error: connection/,
	},
	{ place: ".my.cnf", reads: /^(?:mysql\w*|mariadb[\w-]*|mycli)\b/ },
	{ place: ".config/gh", variables: ["GH_CONFIG_DIR"], reads: /^gh\b/ },
	{ place: ".config/glab-cli", variables: ["GLAB_CONFIG_DIR"], reads: /^glab\b/ },
	{ place: ".config/hub", reads: /^hub\b/ },
	{
		place: ".gnupg",
		variables: ["GNUPGHOME"],
		reads: /^(?:gpg2?|gpgsm|gpgv|pass|sops|debsign|debuild|dput|git (?:commit|tag|verify-\w+)|git-crypt)\b/,
		said: /gpg|secret key|public key|decrypt|sign|keyring|key/i,
	},
	{ place: ".password-store", variables: ["PASSWORD_STORE_DIR"], reads: /^(?:pass|gopass)\b/ },
	...[".terraformrc", ".terraform.d"].map((place) => ({
		place,
		reads: /^(?:terraform|terragrunt|tofu)\b/,
		said: ACCESS,
	})),
	{ place: ".s3cfg", reads: /^s3cmd\b/ },
	{ place: ".config/rclone", reads: /^rclone\b/ },
	{ place: ".config/doctl", reads: /^doctl\b/ },
	{ place: ".oci", reads: /^oci\b/ },
	{ place: ".config/op", reads: /^op\b/ },
	{ place: ".config/sops", variables: ["SOPS_AGE_KEY_FILE"], reads: /^sops\b/ },
	{ place: ".vault-token", reads: /^(?:vault|bao)\b/ },
	{ place: ".authinfo", reads: /^(?:msmtp|emacs)\b/ },
	...Object.entries(KEYS_OF).map(([place, reads]) => ({ place, reads, said: ACCESS })),
];

interface Ran {
	/** Its simple commands, by the plain names of their programs. */
	readonly commands: readonly string[];
	readonly lines: readonly string[];
	readonly home: string | undefined;
	readonly env: Readonly<Record<string, string | undefined>>;
}

export interface HiddenConfiguration {
	readonly path: string;
	/** As a person writes it: `~/.npmrc`. */
	readonly written: string;
	/** Of the program that reads it; absent: known by what was printed. */
	readonly program?: string;
	readonly isRegistry: boolean;
}

const MOST = 3;

/** Those that a command which has failed may have missed. */
export function hiddenConfiguration(ran: Ran, { mounts }: Confinement): HiddenConfiguration[] {
	const found = ROWS.flatMap((row): HiddenConfiguration[] => {
		const places = placesOf(row, ran).filter((path) => isHidden(accessTo(path, mounts)));
		if (places.length === 0) return [];
		const command = ran.commands.find((text) => row.reads.test(text));
		const isPrinted = row.prints !== undefined && ran.lines.some((line) => row.prints?.test(line));
		if (command === undefined && !isPrinted) return [];
		if (row.said !== undefined && !ran.lines.some((line) => row.said?.test(line))) return [];
		return places.map((place) => {
			const path = isDirectoryOf(place, mounts) && row.file !== undefined ? `${place}/${row.file}` : place;
			const program = command?.split(" ")[0];
			return {
				path,
				written: written(path, ran.home),
				...(program && { program }),
				isRegistry: row.isRegistry === true,
			};
		});
	});
	return [...new Map(found.map((each) => [each.path, each])).values()].slice(0, MOST);
}

function placesOf({ place, variables = [] }: Row, { home, env }: Ran): string[] {
	const named = variables.flatMap((name) => (env[name] ?? "").split(":")).filter((path) => path.startsWith("/"));
	return named.length === 0 && home !== undefined && place !== "" ? [`${home}/${place}`] : named;
}

function isDirectoryOf(path: string, mounts: Confinement["mounts"]): boolean {
	const over = deepestOver(path, mounts);
	return over?.path === path && over.as === "hidden directory";
}

function written(path: string, home: string | undefined): string {
	return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
