/** What can be typed after each command, from commander's own tree. */
import type { Command } from 'commander'

export type Word = { word: string; about: string }
export type Place = {
  /** Names of the commands up to here, with spaces between: `svc trigger create`. */
  path: string
  commands: Word[]
  options: Word[]
}

/** Every command, the program first. */
export function placesOf(command: Command, before: readonly string[] = []): Place[] {
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
    // `help` is commander's own, and has no tree below it.
    ...command.commands.flatMap((one) => placesOf(one, names)),
  ]
}
