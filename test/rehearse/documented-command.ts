import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './commands.ts'

/**
 * Returns the command of a documentation page that contains a text, from a code block or within a sentence, with its
 * placeholders filled in.
 * @param text identifies the command
 * @param values replacements of placeholders, such as `<node>`, and of example file names. Each word is quoted for a shell
 * @throws {Error} if the page has no such command or several, and if a placeholder is left
 */
export function documentedCommand(
  page: string,
  text: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const lines = readFileSync(join(ROOT, page), 'utf8')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  const found = lines.flatMap((line) => {
    const commands = /^np[mx] /.test(line)
      ? [line]
      : [...line.matchAll(/`(np[mx] [^`]+)`/g)].map(([, one]) => one!)
    return commands.filter((command) => command.includes(text))
  })
  if (found.length !== 1) throw new Error(`${page} has ${found.length} commands with ${text}`)
  let command = found[0]!.replace(/ +#.*/, '')
  for (const [example, value] of Object.entries(values)) {
    if (!command.includes(example)) throw new Error(`${page}: no ${example} in ${command}`)
    command = command.replaceAll(example, value.split(' ').map(quoted).join(' '))
  }
  const [left] = /<[^>]+>/.exec(command) ?? []
  if (left !== undefined) throw new Error(`${page}: no value for ${left} in ${command}`)
  return command
}

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`
