import type { Command } from 'commander'

/**
 * Adds an "Examples:" section to the help text of a command. A test runs the examples of all commands in order against
 * a local stack, so an example can use objects that earlier examples created.
 */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['\nExamples:', ...lines.map((line) => `  $ ${line}`)].join('\n'))
}
