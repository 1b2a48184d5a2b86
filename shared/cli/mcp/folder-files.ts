/**
 * Files that a model may name. It may have read a text that tells it to send a private key as an action's source, so that
 * only what lies in the folder where the server was started is read, and of that no more than what the field is for.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { extname, isAbsolute, parse, relative, resolve, sep } from 'node:path'
import { ToolRefused } from './tool-failure.ts'

/** What an action's source is kept in. */
const SOURCES = ['.js', '.mjs', '.cjs']

export class FolderFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws {ToolRefused} for a file elsewhere, one that is hidden or in a hidden folder, and one that is no JavaScript */
  async source(file: string, maxBytes: number): Promise<string> {
    const { path, below } = await this.#inside(file)
    if (!SOURCES.includes(extname(path)))
      throw new ToolRefused(
        'no_source',
        `only ${SOURCES.join(', ')} files are sent as source`,
        ELSEWHERE,
      )
    if (below.split(sep).some((part) => part.startsWith('.')))
      throw new ToolRefused('hidden_file', 'hidden files are not sent', ELSEWHERE)
    return this.#text(path, maxBytes)
  }

  /** @throws {ToolRefused} for a file elsewhere */
  async secret(file: string, maxBytes: number): Promise<string> {
    return (await this.#text((await this.#inside(file)).path, maxBytes)).trim()
  }

  /** Where the file is once links are followed. A missing one outside is refused like one that is there. */
  async #inside(file: string): Promise<{ path: string; below: string }> {
    const folder = await realpath(this.#folder)
    await requireProject(folder)
    const named = resolve(folder, file)
    requireBelow(folder, named)
    const path = await realpath(named).catch(() => {
      throw new ToolRefused(
        'no_such_file',
        'there is no such file',
        'Name it from the folder where svc mcp was started.',
      )
    })
    return { path, below: requireBelow(folder, path) }
  }

  async #text(path: string, maxBytes: number): Promise<string> {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const file = await open(path, flags).catch(() => {
      throw new ToolRefused('unreadable', 'the file cannot be read', 'Tell your user.')
    })
    try {
      const about = await file.stat()
      if (!about.isFile()) throw new ToolRefused('no_such_file', 'this is no file', ELSEWHERE)
      if (about.size > maxBytes)
        throw new ToolRefused(
          'too_large',
          `the file has more than ${maxBytes} bytes`,
          'Name a smaller one.',
        )
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  }
}

const ELSEWHERE =
  'Do not look for another way to send it. If your user wants it, he does it with svc himself.'

/** Clients that are no editors start a server in `/` or at home: all that the user has lies below. */
async function requireProject(folder: string): Promise<void> {
  const home = await realpath(homedir()).catch(() => homedir())
  if (folder !== parse(folder).root && leadsOut(relative(folder, home))) return
  throw new ToolRefused(
    'no_project_folder',
    'svc mcp was started in a home folder, or above it, and reads no file there',
    'Ask your user to have it started in the folder of his project; or give action_code.',
  )
}

/** @returns the way from the folder to the file */
function requireBelow(folder: string, path: string): string {
  const below = relative(folder, path)
  if (below !== '' && !leadsOut(below)) return below
  throw new ToolRefused(
    'outside_the_folder',
    'only files in the folder where svc mcp was started are read',
    ELSEWHERE,
  )
}

function leadsOut(way: string): boolean {
  return isAbsolute(way) || way === '..' || way.startsWith(`..${sep}`)
}
