import { exampleOf, type Field, fieldsOf, type Schema, typeText } from './schema-text.ts'

type Content = Record<string, { schema?: Schema; example?: unknown }>
type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}
type Answer = { $ref?: string; description?: string; content?: Content }

export type Operation = {
  method: string
  path: string
  summary: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Answer>
}

export type Service = {
  /** Placeholder for the service's base URL, such as `{base_url}`. */
  url: string
  /** Relative link from the generated page to `docs/errors.md`. */
  errors: string
}

export function operationText(operation: Operation, service: Service): string {
  const { method, path, summary, parameters = [] } = operation
  const body = operation.requestBody?.content['application/json']
  return [
    `### \`${method.toUpperCase()} ${path}\``,
    summary,
    credential(operation),
    parameters.length > 0 && table(parameters.map(parameterField)),
    body?.schema && fieldsTable('Request body', body.schema),
    example(operation, service, body),
    ...answers(operation),
    errors(operation, service),
  ]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join('\n\n')
}

export const headingOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`

const CREDENTIALS: Record<string, string> = {
  ApiKey: 'an API key in `X-Api-Key`',
  Bearer: '`Authorization: Bearer`',
  WalletAuth: 'a signature of the admin wallet in `X-Wallet-Auth`',
}

function credential({ security = [] }: Operation): string {
  const ways = security.flatMap((way) =>
    Object.entries(way).map(([name, scopes]) => {
      const scope = scopes.map((each) => ` with the scope \`${each}\``).join('')
      return `${CREDENTIALS[name] ?? name}${scope}`
    }),
  )
  return `**Authentication**: ${ways.length === 0 ? 'none' : ways.join(', or ')}.`
}

const PLACES: Record<string, string> = { query: 'query', path: 'path', header: 'header' }

function parameterField(parameter: Parameter): Field {
  const { name, required = false, description = '', schema = {} } = parameter
  const place = PLACES[parameter.in] ?? parameter.in
  return { name, required, type: `${place}: ${typeText(schema)}`, meaning: description }
}

function fieldsTable(what: string, schema: Schema): string {
  const list = schema.type === 'array'
  const fields = fieldsOf(list ? (schema.items ?? {}) : schema)
  if (fields.length === 0) return ''
  return `**${what}**${list ? ' (array of)' : ''}:\n\n${table(fields)}`
}

function table(fields: Field[]): string {
  const rows = fields.map(({ name, type, required, meaning }) =>
    [`\`${name}\`${required ? ' *' : ''}`, type, meaning].map(cell).join(' | '),
  )
  return [
    '| Field (* required) | Type | Description |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}

const cell = (text: string) =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ')

function example(
  { method, path, security = [], parameters = [] }: Operation,
  { url }: Service,
  body: { schema?: Schema; example?: unknown } | undefined,
): string {
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name, schema = {} }) => `${name}=${String(exampleOf(schema))}`)
    .join('&')
  const address = `"${url}${path}${query === '' ? '' : `?${query}`}"`
  const verb = method === 'get' || (method === 'post' && body) ? '' : `-X ${method.toUpperCase()} `
  const headers = security[0]?.['ApiKey']
    ? ' -H "X-Api-Key: $KEY"'
    : security[0]?.['Bearer']
      ? ' -H "Authorization: Bearer $TOKEN"'
      : ''
  const data = body
    ? ` \\\n  --json '${JSON.stringify(body.example ?? exampleOf(body.schema ?? {}))}'`
    : ''
  return `\`\`\`text\ncurl ${verb}${address}${headers}${data}\n\`\`\``
}

function answers({ responses }: Operation): string[] {
  return Object.entries(responses)
    .filter(([status, answer]) => Number(status) < 400 && answer.$ref === undefined)
    .map(([status, { description = '', content = {} }]) => {
      const json = content['application/json']
      const types = Object.keys(content).filter((type) => type !== 'application/json')
      const said = description === 'Done.' ? '' : ` ${description}`
      const also = types.length > 0 ? ` As ${types.map((type) => `\`${type}\``).join(', ')}.` : ''
      const begin = `**Response**: ${status}.${said}${also}`
      if (json?.example !== undefined)
        return `${begin}\n\n\`\`\`json\n${JSON.stringify(json.example, null, 2)}\n\`\`\``
      const fields = json?.schema ? fieldsTable('Response body', json.schema) : ''
      return fields === '' ? begin : `${begin}\n\n${fields}`
    })
}

function errors({ responses }: Operation, { errors: page }: Service): string {
  const names = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { $ref }]) => {
      const name = $ref?.split('/').at(-1)
      return name === undefined ? status : `[${status}](${page}#${name})`
    })
  return names.length > 0 ? `**Errors**: ${names.join(', ')}.` : ''
}
