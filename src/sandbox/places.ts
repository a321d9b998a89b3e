/** Places that a sandbox hides or keeps as they are. */

/** Below the home directory: secrets of people, clouds, packages and other tools. */
export const SECRET_PLACES: readonly string[] = [
	...[".ssh", ".gnupg", ".local/share/keyrings", ".netrc", ".authinfo", ".vault-token"],
	...[".aws", ".azure", ".config/gcloud", ".oci", ".kube", ".docker", ".config/containers", ".config/doctl"],
	...[".terraform.d", ".terraformrc", ".config/op", ".config/sops", ".config/age", ".boto", ".s3cfg", ".config/rclone"],
	...[".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub"],
	...[
		".npmrc",
		".yarnrc",
		".yarnrc.yml",
		".pypirc",
		".config/pypoetry",
		".cargo/credentials",
		".cargo/credentials.toml",
	],
	...[".gem/credentials", ".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet", ".config/composer"],
	...[".pgpass", ".my.cnf", ".config/anthropic", ".anthropic", ".claude", ".claude.json", ".codex", ".gemini"],
	...[
		".config/github-copilot",
		".config/openai",
		".config/agentree",
		".mozilla",
		".thunderbird",
		".config/google-chrome",
	],
	...[
		".config/chromium",
		".config/BraveSoftware",
		".bash_history",
		".zsh_history",
		".python_history",
		".node_repl_history",
		".local/state/agentree",
		".Xauthority",
		".ICEauthority",
		".1password",
		".config/1Password",
		".bitwarden-ssh-agent.sock",
		".password-store",
		".local/share/gnupg",
		".local/share/fish/fish_history",
		".psql_history",
		".mysql_history",
		".rediscli_history",
		".lesshst",
		".viminfo",
	],
];

/** Of the system: they may be read by root alone, which may be who runs the agents. */
export const SYSTEM_SECRETS: readonly string[] = [
	"/etc/shadow",
	"/etc/shadow-",
	"/etc/gshadow",
	"/etc/gshadow-",
	"/etc/sudoers.d",
	"/etc/ssl/private",
];

/** In a project: what another program runs later, outside of the sandbox, without a question. */
export const KEPT_IN_PROJECT: readonly string[] = [
	...[
		".agentree",
		".claude",
		".mcp.json",
		".vscode",
		".idea",
		".devcontainer",
		".devcontainer.json",
		".husky",
		".envrc",
	],
	...[".cursor", ".zed", ".fleet", ".codex", ".gemini", ".opencode"],
	...[
		".bashrc",
		".bash_profile",
		".bash_login",
		".bash_logout",
		".profile",
		".zshrc",
		".zprofile",
		".zshenv",
		".zlogin",
		".zlogout",
		".bash_aliases",
		".xprofile",
		".xsessionrc",
		".xinitrc",
		".tmux.conf",
		".gdbinit",
		".lldbinit",
	],
	...[
		".config/fish",
		".inputrc",
		".vimrc",
		".exrc",
		".nvimrc",
		".nvim.lua",
		".emacs",
		".emacs.d",
		".config/nvim",
		".gitconfig",
		".config/git",
	],
	...[".config/autostart", ".config/systemd", ".ssh"],
];

/** Directories among these that are made where they are not there: placeholders.ts. */
export const MADE_IN_PROJECT: readonly string[] = [".agentree", ".claude", ".vscode", ".idea", ".cursor"];
