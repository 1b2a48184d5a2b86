import { type EventLayout, layoutOf } from './event-layout.ts'

/** `path` is relative to the package. */
export type SourceFile = { path: string; text: string }

type Definition = {
  file: string
  /** Enclosing contract, interface or library; empty at file level. */
  container: string
} & (
  | { kind: 'alias'; type: string }
  /** Members as written in the source. */
  | { kind: 'struct'; members: string[] }
)

type EventDeclaration = { name: string; args: string; file: string; container: string }

const ELEMENTARY = /^(?:address|bool|string|bytes(?:[1-9]|[12]\d|3[0-2])?|u?int(?:\d+)?)$/
const CONTAINER =
  /\b(?:abstract\s+)?(?:contract|interface|library)\s+([A-Za-z_$][\w$]*)(?:\s+is\s+([^{]*))?\s*\{/g
const EVENT = /\bevent\s+([A-Za-z_$][\w$]*)\s*\(([^;]*)\)\s*(anonymous)?\s*;/g
const STRUCT = /\bstruct\s+([A-Za-z_$][\w$]*)\s*\{([^}]*)\}/g
const ENUM = /\benum\s+([A-Za-z_$][\w$]*)\s*\{/g
const VALUE_TYPE = /\btype\s+([A-Za-z_$][\w$]*)\s+is\s+([A-Za-z_$][\w$]*)\s*;/g
/** Deeper nesting of structs is treated as a cycle. */
const DEPTH_MAX = 8

/** If a type name has several definitions, it resolves to the one in scope. */
export class SoliditySources {
  readonly #definitions = new Map<string, Definition[]>()
  readonly #bases = new Map<string, string[]>()
  readonly #events: EventDeclaration[] = []

  add({ path, text }: SourceFile): void {
    const code = withoutComments(text)
    const containers = [...code.matchAll(CONTAINER)].map((match) => ({
      name: match[1]!,
      from: match.index,
      to: closingBrace(code, match.index + match[0].length),
      bases: (match[2] ?? '').split(',').map((base) => base.replace(/\(.*/s, '').trim()),
    }))
    const around = (at: number) =>
      containers.findLast(({ from, to }) => at > from && at < to)?.name ?? ''
    for (const { name, bases } of containers) {
      this.#define(name, { kind: 'alias', type: 'address', file: path, container: '' })
      this.#bases.set(name, [...(this.#bases.get(name) ?? []), ...bases.filter(Boolean)])
    }
    for (const match of code.matchAll(ENUM))
      this.#define(match[1]!, {
        kind: 'alias',
        type: 'uint8',
        file: path,
        container: around(match.index),
      })
    for (const match of code.matchAll(VALUE_TYPE))
      this.#define(match[1]!, {
        kind: 'alias',
        type: match[2]!,
        file: path,
        container: around(match.index),
      })
    for (const match of code.matchAll(STRUCT)) {
      const members = match[2]!
        .split(';')
        .map((member) => member.trim())
        .filter(Boolean)
      this.#define(match[1]!, {
        kind: 'struct',
        members,
        file: path,
        container: around(match.index),
      })
    }
    for (const match of code.matchAll(EVENT))
      if (!match[3])
        this.#events.push({
          name: match[1]!,
          args: match[2]!,
          file: path,
          container: around(match.index),
        })
  }

  /** Omits events with an argument type that cannot be resolved. */
  events(): EventLayout[] {
    return this.#events.flatMap((event) => {
      const inputs = event.args
        .split(',')
        .map((arg) => arg.trim())
        .filter(Boolean)
        .map((arg) => ({
          type: this.#canonical(typeOf(arg), event, 0),
          indexed: /\sindexed\b/.test(arg),
        }))
      const known = inputs.filter(
        (input): input is { type: string; indexed: boolean } => input.type !== undefined,
      )
      return known.length === inputs.length ? (layoutOf(event.name, known) ?? []) : []
    })
  }

  #define(name: string, definition: Definition): void {
    this.#definitions.set(name, [...(this.#definitions.get(name) ?? []), definition])
  }

  #canonical(
    written: string,
    place: { file: string; container: string },
    depth: number,
  ): string | undefined {
    const [, base = '', arrays = ''] = /^([\w$.]+)((?:\[\d*\])*)$/.exec(written) ?? []
    if (base === '' || depth > DEPTH_MAX) return undefined
    const type = ELEMENTARY.test(base)
      ? base.replace(/^(u?int)$/, '$1256')
      : this.#named(base, place, depth)
    return type === undefined ? undefined : type + arrays
  }

  #named(
    name: string,
    place: { file: string; container: string },
    depth: number,
  ): string | undefined {
    const parts = name.split('.')
    const own = parts.at(-1)!
    const defined = this.#definitions.get(own) ?? []
    const scopes = parts.length > 1 ? [parts.at(-2)!] : this.#scopesOf(place.container)
    const inScope = defined.filter(({ container }) => scopes.includes(container))
    const candidates =
      inScope.length > 0
        ? inScope
        : defined.filter(({ container }) => container === '' || parts.length > 1)
    const here = candidates.filter(({ file }) => file === place.file)
    const types = new Set(
      (here.length > 0 ? here : candidates).map((found) => this.#typeOf(found, depth)),
    )
    return types.size === 1 ? [...types][0] : undefined
  }

  #typeOf(found: Definition, depth: number): string | undefined {
    if (found.kind === 'alias') return found.type.replace(/^(u?int)$/, '$1256')
    const members = found.members.map((member) => this.#canonical(typeOf(member), found, depth + 1))
    return members.includes(undefined) ? undefined : `(${members.join(',')})`
  }

  /** Returns the contract and all contracts that it inherits from. */
  #scopesOf(container: string, seen = new Set<string>()): string[] {
    if (container === '' || seen.has(container)) return []
    seen.add(container)
    const bases = (this.#bases.get(container) ?? []).map((base) => base.split('.').at(-1)!)
    return [container, ...bases.flatMap((base) => this.#scopesOf(base, seen))]
  }
}

/** Accepts declarations such as `address payable indexed from` or `Order[] orders`. */
function typeOf(declaration: string): string {
  const text = declaration
    .replace(/\s+/g, ' ')
    .replace(/ ?\[ ?/g, '[')
    .replace(/ ?\]/g, ']')
  return text.split(' ')[0]!
}

function withoutComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, ' ')
}

function closingBrace(code: string, from: number): number {
  let depth = 1
  for (let at = from; at < code.length; at++) {
    if (code[at] === '{') depth++
    else if (code[at] === '}' && --depth === 0) return at
  }
  return code.length
}
