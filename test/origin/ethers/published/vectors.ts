import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'

export type Vector = Record<string, unknown>

/** Half a megabyte of JSON per run: a batch takes the sandbox about a second. */
const BATCH_CHARACTERS = 512 * 1024

/** Fields that only other tests use, and that make up most of the text. */
const UNUSED = ['bytecode', 'runtimeBytecode', 'source']

/** Returns the vectors of ethers 5's published tests, by file name. */
export function publishedVectors(name: string): Vector[] {
  const packageJson = createRequire(import.meta.url).resolve(
    '@ethersproject/testcases/package.json',
  )
  const file = new URL(`testcases/${name}.json.gz`, `file://${packageJson}`)
  const vectors = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Vector[]
  return vectors.map((vector) =>
    Object.fromEntries(Object.entries(vector).filter(([key]) => !UNUSED.includes(key))),
  )
}

/** Returns at most `most` vectors, evenly distributed. */
export function sample(vectors: Vector[], most: number): Vector[] {
  const step = Math.max(1, vectors.length / most)
  return Array.from(
    { length: Math.min(most, vectors.length) },
    (_, at) => vectors[Math.floor(at * step)] as Vector,
  )
}

export function batches(vectors: Vector[]): Vector[][] {
  const result: Vector[][] = []
  let room = 0
  for (const vector of vectors) {
    const size = JSON.stringify(vector).length
    if (size > room) {
      result.push([])
      room = BATCH_CHARACTERS
    }
    room -= size
    result.at(-1)?.push(vector)
  }
  return result
}
