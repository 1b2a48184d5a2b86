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

/** Serializes an object of a parsed body, unless it is already a `JsonText`. */
export const toJsonText = (object: object): JsonText =>
  object instanceof JsonText ? object : new JsonText(JSON.stringify(object))

export const jsParamsSchema = paramsSchema.transform(toJsonText).default(new JsonText('{}'))
