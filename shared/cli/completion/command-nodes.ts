import type { Command } from 'commander'

export type Completion = { word: string; about: string }
export type CommandNode = {
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
