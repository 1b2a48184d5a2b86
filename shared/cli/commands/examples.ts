import type { Command } from 'commander'

/**
 * The section "Examples:" of a command's help. A test runs them all, in the order of the commands, against a stack: each can use
 * what those before it have made.
 */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['\nExamples:', ...lines.map((line) => `  $ ${line}`)].join('\n'))
}
