/** Error response of the processor: `{error: {type, code, message, param}}`. */
export class ProcessorApiError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | undefined
  readonly param: string | undefined

  constructor(
    status: number,
    message: string,
    { type = 'invalid_request_error', code, param }: ErrorFacts = {},
  ) {
    super(message)
    this.name = 'ProcessorApiError'
    this.status = status
    this.type = type
    this.code = code
    this.param = param
  }

  body(): object {
    const { type, code, param, message } = this
    return { error: { type, message, ...(code && { code }), ...(param && { param }) } }
  }
}

type ErrorFacts = { type?: string; code?: string; param?: string }

/** 404 `resource_missing`, or 400 if the ID is a parameter instead of part of the path. */
export function missing(what: string, id: string, param = 'id', status = 404): ProcessorApiError {
  const message = `No such ${what}: '${id}'`
  return new ProcessorApiError(status, message, { code: 'resource_missing', param })
}
