import { createHash } from 'node:crypto'
import { fstatSync, readSync, writeSync } from 'node:fs'
import type { Template, TemplateAddresses } from './template.ts'

/**
 * SHA-256 of a template file in hex. A reader gets the digest from the process that built the template, and checks the
 * file against it.
 */
export type TemplateDigest = string

type TemplateHeader = { places: TemplateAddresses; engine: number; statics: number; heap: number }

const LENGTH_BYTES = 4

/** Writes a template to a file. */
export function writeTemplate(fd: number, template: Template): TemplateDigest {
  const whole = encodeTemplate(template)
  for (let at = 0; at < whole.length;) at += writeSync(fd, whole, at, whole.length - at, at)
  return digestOf(whole)
}

/** The length of the header, the header as JSON, the engine, the static data and the heap. */
export function encodeTemplate(template: Template): Buffer {
  const { engine, statics, heap, places } = template
  const head: TemplateHeader = {
    places,
    engine: engine.length,
    statics: statics.length,
    heap: heap.length,
  }
  const json = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(json.length)
  return Buffer.concat([length, json, engine, statics, heap])
}

/** @throws if the file does not match the digest */
export function readTemplate(fd: number, digest: TemplateDigest): Template {
  const whole = Buffer.allocUnsafeSlow(fstatSync(fd).size)
  for (let at = 0; at < whole.length;) {
    const read = readSync(fd, whole, at, whole.length - at, at)
    if (read === 0) throw new Error('the template file is truncated')
    at += read
  }
  if (digestOf(whole) !== digest)
    throw new Error('the template file is not the one that passed the self-test')
  return decodeTemplate(whole)
}

export function decodeTemplate(whole: Buffer): Template {
  const headEnd = LENGTH_BYTES + whole.readUInt32LE(0)
  const head = JSON.parse(whole.toString('utf8', LENGTH_BYTES, headEnd)) as TemplateHeader
  const engineEnd = headEnd + head.engine
  const staticsEnd = engineEnd + head.statics
  return {
    engine: whole.subarray(headEnd, engineEnd),
    statics: whole.subarray(engineEnd, staticsEnd),
    heap: whole.subarray(staticsEnd, staticsEnd + head.heap),
    places: head.places,
  }
}

function digestOf(bytes: Uint8Array): TemplateDigest {
  return createHash('sha256').update(bytes).digest('hex')
}
