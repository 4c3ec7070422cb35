package fleet

import "github.com/nats-io/jwt/v2"

// userPermissions are what a user may do: ask for places, and speak in its own sessions. It may not
// read the queue, nor take from it or change it.
func userPermissions(key string) jwt.Permissions {
	own := sessionsOf(key)
	return jwt.Permissions{
		Pub: jwt.Permission{Allow: jwt.StringList{
			RequestSubject("*", key),
			own,
			streamInfo,
		}},
		Sub: jwt.Permission{Allow: jwt.StringList{
			InboxPrefix(key) + ".>",
			own,
			Heartbeats,
		}},
	}
}

// workerPermissions are what a worker may do: take requests of its tenant, and speak in sessions
// that it has claimed. It hears no frame for a worker with another key.
func workerPermissions(key string) jwt.Permissions {
	return jwt.Permissions{
		Pub: jwt.Permission{Allow: jwt.StringList{
			ClaimSubject("*", "*"),
			NearSubject("*", "*", key, "*"),
			Heartbeats,
			DrainSubject("*"),
			streamInfo,
			createConsumer + "*." + Requests,
			"$JS.API.CONSUMER.INFO." + Stream + ".*",
			"$JS.API.CONSUMER.MSG.NEXT." + Stream + ".*",
			"$JS.ACK." + Stream + ".>",
		}, Deny: jwt.StringList{
			// The default pool is there always, so that no consumer of another name, whose filter
			// would meet the pool's, can be made: a work queue has one consumer for a subject.
			createConsumer + DefaultPool + ".>",
		}},
		Sub: jwt.Permission{Allow: jwt.StringList{
			InboxPrefix(key) + ".>",
			FarSubject("*", "*", key, "*"),
			Heartbeats,
			DrainSubject("*"),
		}},
	}
}

// createConsumer is what a request to make a consumer begins with. Its name and its filter follow,
// which the server compares with what the request says.
const createConsumer = "$JS.API.CONSUMER.CREATE." + Stream + "."

// streamInfo is how to ask how many wait.
const streamInfo = "$JS.API.STREAM.INFO." + Stream
