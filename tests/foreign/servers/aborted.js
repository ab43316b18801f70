// Required by node before kinesalite and dynalite. Both throw what a request's stream reports (`req.on('error', function (err)
// { throw err })`, kinesalite 3.3.3 index.js:99 and dynalite 4.0.0 index.js:212), so that one client that is killed in the
// middle of its request ends the server, and all that it keeps in memory. AWS drops such a request and goes on.
'use strict'

process.on('uncaughtException', function (error) {
  if (error.code === 'ECONNRESET') return
  console.error(error)
  process.exit(1)
})
