import { paramsSchema } from '../../../shared/wire/action-call.ts'

/** JSON text that was validated but not parsed. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Parses the text, so that the OpenAPI description can show default values. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** Accepts a parsed object or JSON text; the result is always JSON text. */
const jsonTextSchema = paramsSchema.transform((params) =>
  params instanceof JsonText ? params : new JsonText(JSON.stringify(params)),
)

export const jsParamsSchema = jsonTextSchema.default(new JsonText('{}'))
