/**
 * Generates shell completion scripts. The scripts compare typed words with fixed names and never evaluate the words.
 */
import type { Command } from 'commander'

export type Completion = { word: string; about: string }
type CommandNode = {
  /** Full name of the command, for example `svc trigger create`. */
  path: string
  commands: Completion[]
  options: Completion[]
}

export function commandNodes(command: Command, before: readonly string[] = []): CommandNode[] {
  const names = [...before, command.name()]
  const below = command.createHelp().visibleCommands(command)
  const options = command.createHelp().visibleOptions(command)
  return [
    {
      path: names.join(' '),
      commands: below.map((one) => ({ word: one.name(), about: one.description() })),
      options: options.flatMap((one) =>
        one.long ? [{ word: one.long, about: one.description }] : [],
      ),
    },
    // Skips commander's built-in `help` command, which has no subcommands.
    ...command.commands.flatMap((one) => commandNodes(one, names)),
  ]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export function completionScript(shell: Shell, places: readonly CommandNode[]): string {
  return { bash, zsh, fish }[shell](places)
}

const words = (all: readonly Completion[]) => all.map(({ word }) => word).join(' ')
const quoted = (text: string) => `'${text.replaceAll("'", '’')}'`

/**
 * Generates shell code that determines the command before the cursor. The code skips other words, such as option
 * values.
 */
const commandMatcher = (
  places: readonly CommandNode[],
  list: string,
  from: number,
) => `  local place=svc word
  for word in "\${${list}[@]:${from}:$((typed - 1))}"; do
    case "$place $word" in
      ${places
        .slice(1)
        .map(({ path }) => quoted(path))
        .join('|')}) place="$place $word" ;;
    esac
  done`

function bash(places: readonly CommandNode[]): string {
  const cases = places.map(({ path, commands, options }) =>
    [
      `    ${quoted(path)})`,
      `      if [[ $current == -* ]]; then choices=${quoted(words(options))}; else choices=${quoted(words(commands))}; fi ;;`,
    ].join('\n'),
  )
  return `# svc: completion for bash. To use it: eval "$(npx --no-install svc completion bash)"
_svc() {
  local current=\${COMP_WORDS[COMP_CWORD]} choices= typed=$COMP_CWORD
${commandMatcher(places, 'COMP_WORDS', 1)}
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _svc svc
`
}

function zsh(places: readonly CommandNode[]): string {
  const described = ({ word, about }: Completion) => quoted(`${word}:${about.replaceAll(':', ' ')}`)
  const cases = places.map(({ path, commands, options }) =>
    [
      `    ${quoted(path)})`,
      `      options=(${options.map(described).join(' ')})`,
      `      commands=(${commands.map(described).join(' ')}) ;;`,
    ].join('\n'),
  )
  return `#compdef svc
# svc: completion for zsh. To use it: eval "$(npx --no-install svc completion zsh)"
_svc() {
  local -a options commands
  local typed=$((CURRENT - 1))
${commandMatcher(places, 'words', 1)}
  case "$place" in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe option options
  elif (( $#commands )); then _describe command commands
  else _files
  fi
}
compdef _svc svc
`
}

function fish(places: readonly CommandNode[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const at = `complete -c svc -n ${quoted(`__svc_at "${path}"`)}`
    return [
      ...commands.map(({ word, about }) => `${at} -f -a ${word} -d ${quoted(about)}`),
      ...options.map(
        ({ word, about }) => `${at} -l ${word.replace(/^--/, '')} -d ${quoted(about)}`,
      ),
    ]
  })
  return `# svc: completion for fish. To use it: npx --no-install svc completion fish | source
function __svc_at
  set -l place svc
  for word in (commandline -opc)[2..-1]
    if contains -- "$place $word" ${places
      .slice(1)
      .map(({ path }) => quoted(path))
      .join(' ')}
      set place "$place $word"
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}
