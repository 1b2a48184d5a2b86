/** Lists of files with their SHA-256 hashes, in the format of `sha256sum`. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

type Hasher = (path: string) => string | undefined

const HASH_LENGTH = 64
const SEPARATOR = '  '

/** Each file is read only once. The hash of an unreadable file is undefined. */
export function fileHasher(root: string): Hasher {
  const known = new Map<string, string | undefined>()
  return (path) => {
    if (!known.has(path)) known.set(path, hashOfFile(resolve(root, path)))
    return known.get(path)
  }
}

function hashOfFile(path: string): string | undefined {
  try {
    return hash('sha256', readFileSync(path))
  } catch {
    return undefined
  }
}

export const formatChecksum = (sum: string, path: string) => `${sum}${SEPARATOR}${path}\n`

export function checksumsMatch(list: string, hashOf: Hasher): boolean {
  try {
    const lines = linesOf(list)
    return (
      lines.length > 0 && lines.every((line) => hashOf(pathIn(line)) === line.slice(0, HASH_LENGTH))
    )
  } catch {
    return false
  }
}

/** @throws {Error} if the list cannot be read */
export const listedFiles = (list: string) => linesOf(list).map(pathIn)

const linesOf = (list: string) => readFileSync(list, 'utf8').split('\n').slice(0, -1)

const pathIn = (line: string) => line.slice(HASH_LENGTH + SEPARATOR.length)
