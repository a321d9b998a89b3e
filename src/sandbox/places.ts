/** Places that a sandbox hides or keeps as they are: by their names, and those that the environment of a run names. */
import { delimiter, dirname, resolve } from "node:path";

/** Below the home directory, by what keeps keys there. docs/sandbox.md has the same list. */
const SECRETS: Readonly<Record<string, string>> = {
	"keys and passwords": `
		.ssh .gnupg .local/share/gnupg .local/share/keyrings .local/share/kwalletd .netrc .authinfo .authinfo.gpg
		.vault-token .config/op .1password .config/1Password .config/Bitwarden .bitwarden-ssh-agent.sock
		.password-store .doppler .infisical .config/sops .config/age .step .tsh .local/share/mkcert/rootCA-key.pem
		.mitmproxy/mitmproxy-ca.pem .google_authenticator .config/Yubico .Xauthority .ICEauthority .vnc/passwd
		.smbcredentials .android/adbkey
	`,
	"clouds and hosts": `
		.aws .azure .config/gcloud .oci .aliyun .bluemix .boto .s3cfg .passwd-s3fs .config/rclone .config/doctl
		.config/hcloud .config/linode-cli .config/scw .config/exoscale .vultr-cli.yaml .cloudflared .config/ngrok
		.ngrok2 .fly/config.yml .netlify/config.json .config/netlify .local/share/com.vercel.cli .config/.wrangler
		.wrangler/config .railway/config.json .supabase/access-token .config/planetscale .config/stripe
		.config/configstore .databrickscfg .snowflake .mc/config.json .config/turso .config/neonctl
		.config/snowflake .dbt/profiles.yml .terraform.d .terraformrc .pulumi/credentials.json .config/helm/registry
		.kube .minikube/profiles .docker .config/containers .chef .sentryclirc
	`,
	"repositories and packages": `
		.git-credentials .config/git/credentials .config/gh .config/glab-cli .config/hub .config/tea
		.subversion/auth .npmrc .config/pnpm/rc .config/pnpm/auth.ini .pub-cache/credentials.json
		.config/dart/pub-credentials.json .jfrog .conan2/credentials.json .config/cachix .yarnrc .yarnrc.yml
		.bunfig.toml .pypirc .config/pip/pip.conf .pip/pip.conf .config/pypoetry .local/share/uv/credentials
		.condarc .continuum .config/binstar .cargo/credentials .cargo/credentials.toml .gem/credentials
		.local/share/gem/credentials .bundle/config .m2/settings.xml .m2/settings-security.xml
		.gradle/gradle.properties .ivy2/.credentials .sbt/.credentials .nuget/NuGet .config/composer
		.composer/auth.json .hex/hex.config
	`,
	"models and data sets": `
		.cache/huggingface/token .cache/huggingface/stored_tokens .huggingface/token .kaggle .modal.toml
		.modelscope/credentials clearml.conf .config/kaggle .config/replicate .ollama/id_ed25519
		.config/io.datasette.llm .config/anthropic .anthropic .config/openai
	`,
	"other agents and editors": `
		.claude .claude.json .codex .gemini .config/github-copilot .copilot .cursor/mcp.json .aider.conf.yml .aider
		.continue .codeium .config/opencode .local/share/opencode .config/goose .config/crush .local/share/crush
		.config/Code/User/globalStorage .config/Cursor/User/globalStorage
	`,
	databases: ".pgpass .my.cnf .mylogin.cnf",
	"browsers, mail and messages": `
		.mozilla .config/mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware
		.config/microsoft-edge .config/vivaldi .var/app .mutt .muttrc .config/mutt .config/neomutt .msmtprc
		.config/msmtp .fetchmailrc .mbsyncrc .offlineimaprc .config/aerc .config/evolution .config/Signal
		.config/Slack .config/discord .purple
	`,
	histories: `
		.bash_history .zsh_history .zhistory .histfile .sh_history .config/nushell/history.txt
		.config/nushell/history.sqlite3 .local/share/fish/fish_history .local/share/atuin .python_history
		.local/share/zsh/history .local/state/zsh/history .local/state/bash/history
		.local/share/powershell/PSReadLine .ipython/profile_default/history.sqlite .julia/logs/repl_history.jl
		.duckdb_history .mongodb/mongosh .node_repl_history .irb_history .pry_history .Rhistory .psql_history
		.mysql_history .sqlite_history .rediscli_history .lesshst .viminfo
	`,
};

/** The words of a text, however they are laid out. */
export function wordsOf(text: string): string[] {
	return text.trim().split(/\s+/);
}

export const SECRET_PLACES: readonly string[] = Object.values(SECRETS).flatMap(wordsOf);

/** In the user's own directory: words to agents, which are told where these lie (instructions/). The rest is configuration and grants. */
export const TOLD_PLACES: readonly string[] = ["skills", "agents", "commands", "AGENTS.md"];

/** Of the system: they may be read by root alone, which may be who runs the agents. */
export const SYSTEM_SECRETS: readonly string[] = wordsOf(`
	/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/security/opasswd /var/backups/shadow.bak /etc/sudoers.d
	/etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_dsa_key
	/etc/ssl/private /etc/pki/tls/private /etc/letsencrypt /etc/krb5.keytab /etc/credstore /etc/credstore.encrypted
	/var/lib/systemd/credential.secret /etc/wireguard /etc/openvpn /etc/ipsec.secrets /etc/ipsec.d/private /etc/swanctl
	/etc/NetworkManager/system-connections /etc/ppp/chap-secrets /etc/ppp/pap-secrets /var/lib/iwd /var/lib/tailscale
	/etc/apt/auth.conf /etc/apt/auth.conf.d /etc/kubernetes /etc/rancher /etc/docker/key.json /etc/mysql/debian.cnf
	/etc/postfix/sasl_passwd /etc/exim4/passwd.client /var/lib/samba/private /var/lib/sss/secrets
`);

/** What lies in the directories in whose place a sandbox has others. */
export const REPLACED = /^(\/tmp|\/var\/tmp|\/run)\//;

/** Those of the system have no sockets, or are not seen in a sandbox. */
const NOT_SEEN_THROUGH = /^\/(bin|boot|dev|etc|gnu|lib\w*|lost\+found|nix|proc|run|sbin|snap|sys|tmp|usr)?(\/|$)/;

export const mayBeSeenThrough = (path: string): boolean => !NOT_SEEN_THROUGH.test(path);

/** In a project: what another program runs later, outside of the sandbox, without a question. */
export const KEPT_IN_PROJECT: readonly string[] = wordsOf(`
	.agentree .claude .mcp.json .vscode .idea .devcontainer .devcontainer.json .husky .envrc .cursor .zed .fleet
	.codex .gemini .opencode .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zprofile .zshenv .zlogin
	.zlogout .bash_aliases .xprofile .xsessionrc .xinitrc .tmux.conf .gdbinit .lldbinit .config/fish .inputrc .vimrc
	.exrc .nvimrc .nvim.lua .emacs .emacs.d .config/nvim .gitconfig .config/git .config/autostart .config/systemd
	.ssh
`);

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that name a file or a directory of secrets, or a socket through which others act for the user. */
const SECRET_VARIABLES = wordsOf(`
	AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_CONFIG AZURE_CONFIG_DIR
	KUBECONFIG DOCKER_CONFIG DOCKER_HOST DOCKER_CERT_PATH CONTAINER_HOST GNUPGHOME PASSWORD_STORE_DIR
	SOPS_AGE_KEY_FILE VAULT_TOKEN_PATH KRB5CCNAME NETRC HF_TOKEN_PATH KAGGLE_CONFIG_DIR CONDARC BUNDLE_USER_CONFIG
	RCLONE_CONFIG BOTO_CONFIG NPM_CONFIG_USERCONFIG npm_config_userconfig PIP_CONFIG_FILE PGPASSFILE PGSERVICEFILE
	GH_CONFIG_DIR GLAB_CONFIG_DIR CLAUDE_CONFIG_DIR CODEX_HOME HISTFILE XAUTHORITY SSH_AUTH_SOCK
	DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR TMUX STY NVIM VSCODE_IPC_HOOK_CLI
`);

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
