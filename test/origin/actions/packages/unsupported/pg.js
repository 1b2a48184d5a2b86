import pg from 'pg'
export const main = () => new pg.Client().connect()
